import type { Spill } from "../ledger/spill.ts";
import type { VisitorKeys } from "../ledger/visitor-keys.ts";
import type { Alarm } from "./alarm.ts";
import type { Clock, FencedWriter } from "./fenced-writer.ts";
import type { RoundContext } from "./round.ts";

export interface LoopParts {
  readonly writer: FencedWriter;
  readonly spill: Spill;
  readonly visitorKeys: Pick<VisitorKeys, "deleteExpired">;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly context: RoundContext;
  abort(reason: string): void;
}
