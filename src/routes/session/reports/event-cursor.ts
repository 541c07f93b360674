import { type EventPosition, eventKinds } from "../../../domain/event-page.ts";
import * as z from "../../../http/schema/zod.ts";

const message = "cursor must be a nextCursor from a previous page";

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
export const eventCursor = () =>
  z
    .string(message)
    .transform((text, { addIssue }) => {
      const position = readCursor(text);
      if (position === undefined) addIssue(message);
      return position;
    })
    .optional()
    .openapi({ type: "string", description: "The `nextCursor` of the previous page. Takes precedence over `page`." });
