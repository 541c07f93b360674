import type { Line } from "./queries.ts";

/** Failing a line that isn't settled yet gives it back. */
export const failLabel = ({ settlement }: Line): string =>
  settlement === "due" || settlement === "waiting" ? "Give back" : "Mark as failed";
