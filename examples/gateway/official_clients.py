"""A conversation with tools on each of the four APIs, through the vendor's own client.

Nothing here knows of a firewall: the base URL is all that changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import anthropic
import openai
from google import genai
from google.genai import types

MODEL = "stand-in-1"
_TOKENS = 1024
_ANY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


class ToolUse(NamedTuple):
    """A call that the model asks the agent to make."""

    id: str
    name: str
    args: dict[str, Any]


class Answer(NamedTuple):
    """One turn of the model as its client reads it."""

    text: str
    calls: list[ToolUse]


Heard = Callable[[str], None]


class Conversation(Protocol):
    """What an agent's loop needs of an API, and the client, to be closed."""

    client: Any

    def ask(self, heard: Heard | None = None) -> Answer:
        """The model's next turn, kept for what follows. ``heard`` gets its text as it is streamed."""

    def tell(self, results: Sequence[tuple[ToolUse, str]]) -> None:
        """Answers the calls of the last turn."""

    def say(self, text: str) -> None:
        """The user says something."""


class Chat:
    """OpenAI chat completions."""

    def __init__(
        self, url: str, key: str, tools: Sequence[str], headers: Mapping[str, str], user: str
    ) -> None:
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, default_headers=headers)
        self.tools: Any = [
            {"type": "function", "function": {"name": name, "parameters": _ANY_OBJECT}} for name in tools
        ]
        self.messages: list[Any] = []
        self.say(user)

    def ask(self, heard: Heard | None = None) -> Answer:
        asked = {"model": MODEL, "messages": self.messages, "tools": self.tools or openai.omit}
        if heard is not None:
            with self.client.chat.completions.stream(**asked) as events:
                for event in events:
                    if event.type == "content.delta":
                        heard(event.delta)
                completion: Any = events.get_final_completion()
        else:
            completion = self.client.chat.completions.create(**asked)
        message = completion.choices[0].message
        self.messages.append(message.to_dict())
        calls = [call for call in message.tool_calls or [] if call.type == "function"]
        return Answer(
            message.content or "",
            [ToolUse(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls],
        )

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def tell(self, results: Sequence[tuple[ToolUse, str]]) -> None:
        for call, text in results:
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


class Responses:
    """OpenAI responses, with the whole conversation in each request."""

    def __init__(
        self, url: str, key: str, tools: Sequence[str], headers: Mapping[str, str], user: str
    ) -> None:
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, default_headers=headers)
        self.tools: Any = [{"type": "function", "name": name, "parameters": _ANY_OBJECT} for name in tools]
        self.items: list[Any] = []
        self.say(user)

    def ask(self, heard: Heard | None = None) -> Answer:
        asked = {"model": MODEL, "input": self.items, "tools": self.tools or openai.omit, "store": False}
        if heard is not None:
            with self.client.responses.stream(**asked) as events:
                for event in events:
                    if event.type == "response.output_text.delta":
                        heard(event.delta)
                response: Any = events.get_final_response()
        else:
            response = self.client.responses.create(**asked)
        self.items += [item.to_dict() for item in response.output]
        calls = [item for item in response.output if item.type == "function_call"]
        uses = [ToolUse(call.call_id, call.name, json.loads(call.arguments)) for call in calls]
        return Answer(response.output_text, uses)

    def say(self, text: str) -> None:
        self.items.append({"role": "user", "content": text})

    def tell(self, results: Sequence[tuple[ToolUse, str]]) -> None:
        for call, text in results:
            self.items.append({"type": "function_call_output", "call_id": call.id, "output": text})


class Messages:
    """Anthropic messages."""

    def __init__(
        self, url: str, key: str, tools: Sequence[str], headers: Mapping[str, str], user: str
    ) -> None:
        self.client = anthropic.Anthropic(base_url=url, api_key=key, default_headers=headers)
        self.tools: Any = [{"name": name, "input_schema": _ANY_OBJECT} for name in tools]
        self.messages: list[Any] = []
        self.say(user)

    def ask(self, heard: Heard | None = None) -> Answer:
        asked: dict[str, Any] = {"model": MODEL, "max_tokens": _TOKENS, "messages": self.messages}
        asked["tools"] = self.tools or anthropic.omit
        if heard is not None:
            with self.client.messages.stream(**asked) as events:
                for text in events.text_stream:
                    heard(text)
                message: Any = events.get_final_message()
        else:
            message = self.client.messages.create(**asked)
        self.messages.append({"role": "assistant", "content": [block.to_dict() for block in message.content]})
        text = "".join(block.text for block in message.content if block.type == "text")
        uses = [block for block in message.content if block.type == "tool_use"]
        return Answer(text, [ToolUse(use.id, use.name, use.input) for use in uses])

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def tell(self, results: Sequence[tuple[ToolUse, str]]) -> None:
        content = [{"type": "tool_result", "tool_use_id": call.id, "content": text} for call, text in results]
        self.messages.append({"role": "user", "content": content})


class Gemini:
    """Gemini generateContent and streamGenerateContent."""

    def __init__(
        self, url: str, key: str, tools: Sequence[str], headers: Mapping[str, str], user: str
    ) -> None:
        options = types.HttpOptions(base_url=url, headers=dict(headers))
        self.client = genai.Client(api_key=key, http_options=options)
        declared = [
            types.FunctionDeclaration(name=name, parameters_json_schema=_ANY_OBJECT) for name in tools
        ]
        self.config = types.GenerateContentConfig(
            tools=[types.Tool(function_declarations=declared)] if declared else None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        self.contents: list[Any] = []
        self.say(user)

    def ask(self, heard: Heard | None = None) -> Answer:
        models: Any = self.client.models
        asked: dict[str, Any] = {"model": MODEL, "contents": self.contents, "config": self.config}
        if heard is None:
            parts = _parts(models.generate_content(**asked))
        else:
            parts = []
            for answer in models.generate_content_stream(**asked):
                parts += _parts(answer)
                heard(_text(_parts(answer)))
        self.contents.append(types.Content(role="model", parts=parts))
        calls = [part.function_call for part in parts if part.function_call]
        uses = [ToolUse(call.id or "", call.name, call.args or {}) for call in calls]
        return Answer(_text(parts), uses)

    def say(self, text: str) -> None:
        self.contents.append(types.Content(role="user", parts=[types.Part(text=text)]))

    def tell(self, results: Sequence[tuple[ToolUse, str]]) -> None:
        parts = [
            types.Part.from_function_response(name=call.name, response={"result": text})
            for call, text in results
        ]
        self.contents.append(types.Content(role="user", parts=parts))


def _parts(answer: Any) -> list[Any]:
    contents = [candidate.content for candidate in answer.candidates or []]
    return [part for content in contents if content is not None for part in content.parts or []]


def _text(parts: Sequence[Any]) -> str:
    return "".join(part.text or "" for part in parts if not part.thought)


#: The conversations by the name of their API.
APIS: dict[str, Any] = {
    "openai chat completions": Chat,
    "openai responses": Responses,
    "anthropic messages": Messages,
    "gemini generateContent": Gemini,
}
