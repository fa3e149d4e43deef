"""What an operator chose: keys, providers, settings."""

from django.apps import AppConfig


class SettingsConfig(AppConfig):
    """The settings app."""

    name = "settings_app"
    verbose_name = "Keys, providers, settings"
