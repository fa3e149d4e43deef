"""Credentials are found by format, by name and by looks; ordinary prose and code are left alone."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.redaction import REDACTED, contains_secret, find_secrets, redact

SECRETS = [
    ("openai-or-anthropic", "sk-test-FAKE0123456789abcdef"),
    ("openai-or-anthropic", "sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX"),
    ("openai-or-anthropic", "sk-ant-api03-AAAAbbbbCCCCdddd1111_2222-eeee"),
    ("memroute", "mr-Zk3v9Qx_1aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456"),
    ("github", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("github", "github_pat_11AAAAAAA0123456789_abcdefghijklmnop"),
    ("gitlab", "glpat-AbCdEfGhIjKlMnOpQrSt"),
    ("aws", "AKIAIOSFODNN7EXAMPLE"),
    ("high-entropy", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("google", "AIzaSyA1234567890abcdefghijklmnopqrstuvw"),
    ("slack", "xoxb-123456789012-abcdefGHIJKL"),
    ("stripe", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("vendor-token", "hf_abcdefghijklmnopqrstuvwx"),
    (
        "jwt",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    ),
    ("url-with-password", "postgres://app:s3cret@db.internal:5432/prod"),
    ("url-with-password", "mongodb+srv://root:abc@cluster0.mongodb.net"),
    ("url-with-password", "https://alice:pw@example.com/x"),
    ("url-with-password", "redis://:hunter2@localhost:6379/0"),
    ("high-entropy", "X7f9Kq2LmN8pR4tV6wY1zB3cD5"),
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"),
]
STATED = [
    ("password: hunter2", "hunter2"),
    ("my password is hunter2", "hunter2"),
    ("My password is correcthorse", "correcthorse"),
    ('the wifi password is "correct horse battery"', "correct horse battery"),
    ("password for the router is letmein", "letmein"),
    ("passwd=s3cr3t!", "s3cr3t"),
    ("DB_PASSWORD=foobar", "foobar"),
    ("dbPassword = abc123x", "abc123x"),
    ("--password hunter22", "hunter22"),
    ("my PIN is 4821", "4821"),
    ("my pin code is 0420", "0420"),
    ("the door code is 4821", "4821"),
    ('api_key: "9f8e7d6c5b4a39281706"', "9f8e7d6c5b4a39281706"),
    ("my api key is abcdefghijk123", "abcdefghijk123"),
    ("the token is 8f3kd92jf0s2", "8f3kd92jf0s2"),
    ("token: 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"),
    ("Authorization: Bearer abcdef1234567890ABCDEF", "abcdef1234567890ABCDEF"),
    ("aws_secret_access_key = abcd/EFGH1234", "abcd/EFGH1234"),
]
HARMLESS = [
    "I prefer TypeScript over JavaScript.",
    "my password is wrong",
    "the password is not working",
    "password reset is required",
    "My password is stored in 1Password",
    "I forgot my password",
    "password: required",
    '"password": "string"',
    "password: <your password>",
    "API_KEY=${API_KEY}",
    "token = get_token()",
    "max_tokens: 4096",
    "the token count is 4096",
    "my API key is expired",
    "I pin my dependencies",
    "the pin is broken",
    "The secret to success is hard work",
    "My secret ingredient is cinnamon",
    "the key is to listen",
    "key: C major",
    "compass: north",
    "my turkey: nice",
    "I use a pass: monthly",
    "zip code: 90210",
    "status code is 404",
    "bearer of bad news",
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad broke it",
    "123e4567-e89b-12d3-a456-426614174000",
    "/usr/local/lib/python3.11/site-packages/django/core/management",
    "https://example.com/path/to/something?x=1",
    "http://localhost:8080/@fs/src",
    "git@github.com:org/repository-name.git",
    "mailto:someone@example.com",
    "sentence-transformers/all-MiniLM-L6-v2",
    "meta-llama/Llama-3.1-8B-Instruct-Turbo-128k",
    "claude-3-5-sonnet-20241022 and gpt-4o-mini-2024-07-18",
    "test_user_can_login_with_password_2024",
    "MY_LONG_CONSTANT_NAME_FOR_CONFIG_2",
    "AbstractSingletonProxyFactoryBean2Factory",
    "kubernetes-dashboard-deployment-7d4f8b9c6",
    "Donaudampfschifffahrtsgesellschaftskapitaen",
    "2024-01-01T12:00:00.000Z",
    "0123456789012345678901234567890",
    "risk-taking-is-good-for-you-123",
    "x-memroute-session-id",
    "mr-robot and mr-bean",
    "sk-learn is nice",
    "",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS, ids=[secret[:24] for _, secret in SECRETS])
def test_a_format_is_recognised_in_the_middle_of_a_sentence(kind: str, secret: str) -> None:
    text = f"I always use {secret} for this."

    [found] = find_secrets(text)

    assert found.kind == kind
    assert text[found.start : found.end] == secret
    assert redact(text) == f"I always use {REDACTED} for this."


@pytest.mark.parametrize(("text", "secret"), STATED, ids=[text for text, _ in STATED])
def test_what_is_called_a_secret_is_one(text: str, secret: str) -> None:
    assert contains_secret(text)
    assert secret not in redact(text)
    assert redact(text).startswith(text[:4])


@pytest.mark.parametrize("text", HARMLESS)
def test_prose_and_code_names_are_left_alone(text: str) -> None:
    assert find_secrets(text) == []
    assert redact(text) == text


def test_several_secrets_are_all_replaced() -> None:
    text = "password: hunter2, key sk-test-FAKE0123456789abcdef and postgres://u:p@h/db"
    assert redact(text) == f"password: {REDACTED}, key {REDACTED} and {REDACTED}"


def test_a_private_key_that_was_cut_off_is_still_hidden() -> None:
    assert redact("x -----BEGIN PRIVATE KEY-----\nMIIEow\nabc") == f"x {REDACTED}"


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="abAB01 -_:=/@.\n\"'passwordkeytoken\u0130\ud83d")))
def test_secrets_lie_apart_and_redacting_twice_changes_nothing_more(text: str) -> None:
    secrets = find_secrets(text)

    assert all(0 <= secret.start < secret.end <= len(text) for secret in secrets)
    assert all(one.end <= other.start for one, other in pairwise(secrets))
    assert redact(redact(text)).replace(REDACTED, "") == redact(text).replace(REDACTED, "")
