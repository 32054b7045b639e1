"""The kinds of upstream there are."""

from __future__ import annotations

from policyc_server.gateway.vendors.anthropic import Anthropic
from policyc_server.gateway.vendors.gemini import Gemini
from policyc_server.gateway.vendors.openai import OpenAI
from policyc_server.gateway.vendors.vendor import Vendor

KINDS: dict[str, Vendor] = {vendor.kind: vendor for vendor in (Anthropic(), Gemini(), OpenAI())}
