import { type EventPosition, eventKinds } from "../../../domain/event-page.ts";
import { cursorOf } from "../../../http/schema/cursor.ts";

export const cursorAfter = ({ kind, id, occurredAt }: EventPosition): string =>
  Buffer.from(`${kind} ${id} ${occurredAt}`).toString("base64url");

function readCursor(text: string): EventPosition | undefined {
  const [, name, id = "", at = ""] =
    /^(\w+) ([1-9]\d{0,15}) (0|[1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  const kind = eventKinds.find((known) => known === name);
  if (kind === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  const position = { kind, id: Number(id), occurredAt: Number(at) };
  return cursorAfter(position) === text ? position : undefined;
}

/** Encodes the last event of a page, so that events recorded meanwhile don't shift the next one. */
export const eventCursor = () => cursorOf("nextCursor", readCursor, " Takes precedence over `page`.");
