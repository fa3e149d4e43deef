"""Prompts that chat clients send on their own account capture nothing; people's own words do."""

import pytest

from engine.extraction import extract, is_background_prompt


@pytest.mark.parametrize(
    "text",
    [
        "Generate a short title for this conversation",
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.",
        "### Task:\nSuggest 3-5 relevant follow-up questions.\n<chat_history>I prefer tabs</chat_history>",
        "Provide a concise, 5-word-or-less title for the conversation, using its same language.",
        "Please write a 5-10 word title for the following conversation:\n\nUser: I prefer tabs",
        "Based on the chat history, give this conversation a name.\nKeep it short - 10 characters max.",
        "Summarize the discussion briefly in 200 words or less to use as a prompt for future context.",
        "Review the conversation above and consider whether anything should be saved to memory.",
        "Summarise our conversation so far.",
        "Please create a detailed summary of the conversation so far.",
        "Analyze the conversation above and extract the user's preferences.",
        "Create tags for this chat. I prefer short ones.",
        "This is a video transcript produced by the bridge: I prefer tabs",
        "user: I prefer tabs\nassistant: noted\n" * 40 + "\nGenerate a title for this chat.",
    ],
)
def test_a_clients_own_prompt_is_recognised(text: str) -> None:
    assert is_background_prompt(text)
    assert extract(text).facts == []


@pytest.mark.parametrize(
    "text",
    [
        "I prefer short titles",
        "My job title is editor",
        "Give my blog post a title",
        "Summarize this article: the sky is blue",
        "Can you name a good book? I love crime novels.",
        "Write a summary of chapter two",
        "I never name my variables after people",
        "Review my code above",
        "",
    ],
)
def test_people_may_speak_of_titles_and_summaries(text: str) -> None:
    assert not is_background_prompt(text)
