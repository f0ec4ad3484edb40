"""The Responses API, as Codex uses it: GET /v1/responses as a WebSocket, and POST, streamed, where that is not to be had.

On a WebSocket a request brings only what is new and names the response it goes on from. A tool may be offered in the
request's `tools`, in namespaces of them, or in an item of its input.
"""

import json

from .api import Api
from .websocket import WebSocket

OUTPUTS = ("function_call_output", "custom_tool_call_output")


def names_of(tools):
    for tool in tools:
        yield tool.get("name", tool["type"])
        yield from names_of(tool.get("tools", []))


class OpenAI(Api):
    hosts = ("api.openai.com", "chatgpt.com")
    web_sockets = 0

    def answer(self, request, handler):
        if request.host != self.hosts[0] or request.path.split("?")[0] != "/v1/responses":
            return handler.reply(404, {"error": {"message": "not here", "type": "invalid_request_error"}})
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return handler.reply(401, {"error": {"message": "no such key", "type": "invalid_request_error", "code": "invalid_api_key"}})
        if request.method == "POST":
            return handler.stream(self.events(request.json, request.json["input"]))
        self.web_sockets += 1
        socket = WebSocket(handler)
        items = []
        for message in socket.messages():
            body = json.loads(message)
            items = items + body["input"] if body.get("previous_response_id") else body["input"]
            for event in self.events(body, items):
                socket.send(json.dumps(event).encode())

    def events(self, body, items):
        is_the_turn = body.get("generate", True) and self.prompt and self.prompt in json.dumps(items)
        step = None
        if is_the_turn:
            outputs = [item["output"] for item in items if item["type"] in OUTPUTS]
            step = self.next_step([o if isinstance(o, str) else "\n".join(part.get("text", "") for part in o) for o in outputs])
            offered = list(names_of(body.get("tools", [])))
            for item in items:
                offered += names_of(item.get("tools", []))
            self.offers(step, offered)
        number = len(self.results) + 1
        if step and isinstance(step.arguments, str):
            item = {"type": "custom_tool_call", "id": f"ctc_{number}", "call_id": f"call_{number}", "name": step.tool, "input": step.arguments}
        elif step:
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": step.tool,
                    "arguments": json.dumps(step.arguments)}
        else:
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant",
                    "content": [{"type": "output_text", "text": self.last_words if is_the_turn else "Work", "annotations": []}]}
        items.append(item)
        made = [item] if body.get("generate", True) else []
        response = {"id": f"resp_{number}_{len(items)}", "object": "response", "status": "completed", "output": made,
                    "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}}
        yield {"type": "response.created", "response": {"id": response["id"]}}
        for one in made:
            yield {"type": "response.output_item.added", "output_index": 0, "item": one}
            yield {"type": "response.output_item.done", "output_index": 0, "item": one}
        yield {"type": "response.completed", "response": response}
