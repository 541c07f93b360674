import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import type { Payout } from "./queries.ts";
import { statusWords } from "./words.ts";

export function PayoutBadge({ status }: Pick<Payout, "status">): JSX.Element {
  const [label, tone] = statusWords[status];
  return <Badge tone={tone}>{label}</Badge>;
}
