import { type AnyReply, parsed, send } from "./client.ts";
import { Failure } from "./failure.ts";

/** The values of a reply that has one JSON value a line, as they arrive. Throws a `Failure` as `take` does. */
export async function* takeLines(call: Promise<AnyReply>): AsyncGenerator<unknown, undefined> {
  const { body, url } = await send(call);
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error: unknown) => {
      throw error instanceof DOMException && error.name === "AbortError" ? error : Failure.ofNetwork();
    });
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield await parsed(url, line);
  }
}
