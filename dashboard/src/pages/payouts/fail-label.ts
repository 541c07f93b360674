import type { Line } from "./queries.ts";

export const isOpen = ({ settlement }: Line): boolean => settlement === "due" || settlement === "waiting";

/** Failing a line that isn't settled yet gives it back. */
export const failLabel = (line: Line): string => (isOpen(line) ? "Give back" : "Mark as failed");
