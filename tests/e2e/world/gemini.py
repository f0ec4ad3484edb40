"""The Gemini API (models/…:streamGenerateContent and :generateContent), as the Gemini CLI uses it with a key."""

import json

from .api import Api


def example(schema):
    """A value that fits a JSON schema: the agent's own small questions want their answers in a form."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        return {name: example(schema.get("properties", {})[name]) for name in schema.get("properties", {})}
    return {"string": "Work", "integer": 50, "number": 50, "boolean": True, "array": []}[kind]


class Gemini(Api):
    hosts = ("generativelanguage.googleapis.com",)

    def answer(self, request, handler):
        path = request.path.split("?")[0]
        if path.endswith(":countTokens"):
            return handler.reply(200, {"totalTokens": 10})
        if not path.endswith((":streamGenerateContent", ":generateContent")):
            return handler.reply(404, {"error": {"code": 404, "message": "not here", "status": "NOT_FOUND"}})
        if request.headers.get("x-goog-api-key") != self.key:
            return handler.reply(400, {"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}})
        body = request.json
        tools = [f["name"] for tool in body.get("tools", []) for f in tool.get("functionDeclarations", [])]
        parts = [part for content in body["contents"] for part in content.get("parts", [])]
        is_the_turn = self.prompt and tools and any(self.prompt in part.get("text", "") for part in parts)
        step = None
        if is_the_turn:
            step = self.next_step([json.dumps(p["functionResponse"]["response"]) for p in parts if "functionResponse" in p])
            self.offers(step, tools)
        form = body.get("generationConfig", {})
        form = form.get("responseJsonSchema") or form.get("responseSchema")
        part = {"text": json.dumps(example(form)) if form else self.last_words if is_the_turn else "Work"}
        if step:
            part = {"functionCall": {"name": step.tool, "args": step.arguments}}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
                  "modelVersion": path.rsplit("/", 1)[1].split(":")[0]}
        if path.endswith(":streamGenerateContent"):
            return handler.stream([answer], named=False)
        return handler.reply(200, answer)
