"""Django settings: start-up facts only. What an operator may change while running lives in the database (settings_app)."""

from __future__ import annotations

from pathlib import Path

from memroute import env
from memroute.sqlite import BUSY_TIMEOUT_SECONDS, PRAGMAS

BASE_DIR = Path(__file__).resolve().parent.parent

MEMROUTE_DATA_DIR = env.data_dir()
MEMROUTE_HOST = env.host("MEMROUTE_HOST", "127.0.0.1")
MEMROUTE_PORT = env.integer("MEMROUTE_PORT", 8000, 1, 65535)
MEMROUTE_MAX_BODY_BYTES = env.integer("MEMROUTE_MAX_BODY_BYTES", 20 * 1024 * 1024, 1024, 1024 * 1024 * 1024)
MEMROUTE_ALLOW_PRIVATE_URLS = env.hosts("MEMROUTE_ALLOW_PRIVATE_URLS")
MEMROUTE_LOG_FORMAT = env.choice("MEMROUTE_LOG_FORMAT", "text", ("text", "json"))

SECRET_KEY = env.secret_key(MEMROUTE_DATA_DIR)
SECRET_KEY_FALLBACKS = env.secret_key_fallbacks()
DEBUG = False
_OWN_HOST = f"[{MEMROUTE_HOST}]" if ":" in MEMROUTE_HOST else MEMROUTE_HOST
ALLOWED_HOSTS = env.hosts("MEMROUTE_ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]", _OWN_HOST]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "memroute.apps.MemrouteConfig",
    "settings_app.apps.SettingsConfig",
    "memories.apps.MemoriesConfig",
    "proxy.apps.ProxyConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "memroute.urls"
ASGI_APPLICATION = "memroute.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(env.database_file(MEMROUTE_DATA_DIR)),
        # A connection costs its pragmas and the vector extension; threads keep theirs.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": BUSY_TIMEOUT_SECONDS,
            # A deferred transaction that reads first and writes later fails at once when another writer was quicker.
            "transaction_mode": "IMMEDIATE",
            "init_command": ";".join(PRAGMAS),
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Static files are served from where they are installed: no collectstatic step between a clone and a working admin.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "settings_app.api.auth.ManagementKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["settings_app.api.auth.IsOperator"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "settings_app.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "memroute.logs.TextFormatter"},
        "json": {"()": "memroute.logs.JsonFormatter"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": MEMROUTE_LOG_FORMAT}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {name: {"level": "INFO"} for name in ("memroute", "settings_app", "memories", "proxy")},
}
