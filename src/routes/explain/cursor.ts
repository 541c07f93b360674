import { type StoryPosition, storyTypes } from "../../domain/explain/event-order.ts";
import { cursorOf } from "../../http/schema/cursor.ts";

export const cursorAfter = ({ type, id, occurredAt }: StoryPosition): string =>
  Buffer.from(`${type} ${id} ${occurredAt}`).toString("base64url");

function readCursor(text: string): StoryPosition | undefined {
  const [, name, id = "", at = ""] =
    /^(\w+) ([\w-]{1,96}) (-?\d{1,16})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  const type = storyTypes.find((known) => known === name);
  const isNumber = /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id));
  if (type === undefined || (type !== "click" && !isNumber)) return undefined;
  const position = { type, id: type === "click" ? id : Number(id), occurredAt: Number(at) };
  return cursorAfter(position) === text ? position : undefined;
}

/** Encodes the last event of a page. */
export const storyCursor = (name: "next_cursor" | "nextCursor") => cursorOf(name, readCursor);
