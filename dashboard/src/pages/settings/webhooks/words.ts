import { eventTypes } from "#domain/event-type.ts";
import { maxReplayed } from "#domain/webhooks.ts";
import type { Delivery, Webhook } from "../../../api/types.ts";
import type { Tone } from "../../../components/badge.tsx";
import { formatCount, pluralize } from "../../../format.ts";

export const statusTitles: Readonly<Record<Delivery["status"], string>> = {
  waiting: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
};

export const statusTones: Readonly<Record<Delivery["status"], Tone>> = {
  waiting: "warn",
  delivered: "good",
  failed: "bad",
};

export const bookTitle = ({ testMode }: Pick<Webhook, "testMode">): string => (testMode ? "Test" : "Live");

export const typesTitle = ({ types }: Pick<Webhook, "types">): string => {
  if (types === null) return "All events";
  const [only] = types;
  return types.length === 1 && only !== undefined ? only : pluralize(types.length, "type");
};

export const exampleTypes = eventTypes.filter((type) => type !== "feed.restarted");

interface SeqRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** The range of events after the last one sent that a replay can send. Undefined if there are none. */
export function missedBy({ lastSeq, newestSeq }: Pick<Webhook, "lastSeq" | "newestSeq">): SeqRange | undefined {
  if (newestSeq <= lastSeq) return undefined;
  return { fromSeq: lastSeq + 1, toSeq: Math.min(newestSeq, lastSeq + maxReplayed) };
}

export const describeRange = ({ fromSeq, toSeq }: SeqRange): string =>
  fromSeq === toSeq ? `event ${formatCount(fromSeq)}` : `events ${formatCount(fromSeq)} to ${formatCount(toSeq)}`;

/** Title of an attempt's response: its status, or that there was none. */
export const answerTitle = ({ status }: Pick<Delivery["attempts"][number], "status">): string =>
  status === null ? "No answer" : String(status);
