import type { Context, TypedResponse } from "hono";

/** Produces a part only after the reader has consumed the previous one. */
export function textStream(parts: AsyncIterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}

/** A JSON response that is sent in parts. It has the type of the complete response. */
export function jsonStream<Json>(
  c: Pick<Context, "body">,
  parts: AsyncIterator<string>,
  headers: Readonly<Record<string, string>>,
): Response & TypedResponse<Json, 200, "json"> {
  const reply: Response = c.body(textStream(parts), 200, headers);
  return reply as Response & TypedResponse<Json, 200, "json">;
}
