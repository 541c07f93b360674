import type { Alarm } from "./alarm.ts";
import type { Clock, FencedWriter } from "./fenced-writer.ts";
import type { RoundContext } from "./round.ts";
import type { Spill } from "./spill.ts";
import type { VisitorKeys } from "./visitor-keys.ts";

export interface LoopParts {
  readonly writer: FencedWriter;
  readonly spill: Spill;
  readonly visitorKeys: Pick<VisitorKeys, "deleteExpired">;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly context: RoundContext;
  abort(reason: string): void;
}
