"""The Messages API (POST /v1/messages, streamed), as Claude Code and opencode use it."""

import json

from .api import Api


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")


class Anthropic(Api):
    hosts = ("api.anthropic.com", "platform.claude.com")

    def answer(self, request, handler):
        path = request.path.split("?")[0]
        if path.endswith("/hello"):  # whether it can be reached at all
            return handler.reply(200, {"message": "hello"})
        if path == "/v1/messages/count_tokens":
            return handler.reply(200, {"input_tokens": 10})
        if path != "/v1/messages" or request.method != "POST":
            return handler.reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "not here"}})
        if request.headers.get("x-api-key") != self.key:
            return handler.reply(401, {"type": "error", "error": {"type": "authentication_error", "message": "no such key"}})
        body = request.json
        messages = body["messages"]
        is_the_turn = self.prompt and body.get("tools") and any(self.prompt in text_of(m["content"]) for m in messages if m["role"] == "user")
        step = None
        if is_the_turn:
            blocks = [block for m in messages if isinstance(m["content"], list) for block in m["content"]]
            step = self.next_step([text_of(b.get("content", "")) for b in blocks if b.get("type") == "tool_result"])
            self.offers(step, [tool.get("name") for tool in body["tools"]])
        content = {"type": "text", "text": self.last_words if is_the_turn else "Work"}
        if step:
            content = {"type": "tool_use", "id": f"toolu_{len(self.results) + 1:024}", "name": step.tool, "input": step.arguments}
        stop = "tool_use" if step else "end_turn"
        message = {"id": "msg_000000000000000000000001", "type": "message", "role": "assistant", "model": body["model"], "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
        if not body.get("stream"):
            return handler.reply(200, dict(message, content=[content], stop_reason=stop))
        if step:
            start, delta = dict(content, input={}), {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        else:
            start, delta = dict(content, text=""), {"type": "text_delta", "text": content["text"]}
        return handler.stream([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 20}},
            {"type": "message_stop"}])
