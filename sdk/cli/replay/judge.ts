import { errorOf } from "../refused.ts";
import type { Answer } from "../service.ts";
import type { EventType } from "./event.ts";
import type { Entry } from "./journal.ts";

/** Returns the outcome of a line, from the service's response. */
export function judge(type: EventType, answer: Answer): Pick<Entry, "outcome" | "message"> {
  const { status, body } = answer;
  if (status === 200) {
    if (body.success !== true) return { outcome: "refused", message: String(body.message) };
    const isRepeat = type === "lead" ? body.duplicate === true : body.status === "skipped";
    return { outcome: isRepeat ? "duplicate" : "ok" };
  }
  const { message, details } = errorOf(answer);
  if (status !== 409) return { outcome: "refused", message };
  const { same_request: isSame, differences = [] } = Object(details) as {
    same_request?: boolean;
    differences?: string[];
  };
  if (isSame) return { outcome: "duplicate" };
  return { outcome: "conflict", message: `${message} It differs in ${differences.join(", ")}.` };
}
