"""The wire protocol: OpenAI's endpoints in front of the memory."""

from django.apps import AppConfig


class ProxyConfig(AppConfig):
    """The proxy app."""

    name = "proxy"
    verbose_name = "Proxy"
