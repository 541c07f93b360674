import fc from "fast-check";
import { expect, it } from "vitest";
import { type FinalizedLine, walk } from "../../scripts/audit/walk.ts";

/**
 * Generates the lines of a partner. At each step, a number is assigned and a line may be finalized, with its cutoff and
 * its end at other steps.
 */
const lines = fc
  .array(fc.record({ back: fc.nat({ max: 30 }), lasts: fc.option(fc.nat({ max: 40 })) }), { maxLength: 12 })
  .map((drawn) =>
    drawn.map(({ back, lasts }, i): FinalizedLine => {
      const finalized = 3 * i + 10;
      return {
        line: i + 1,
        payout: i + 100,
        cut: Math.max(0, finalized - 1 - back),
        finalized,
        ended: lasts === null ? null : finalized + 1 + 3 * lasts,
      };
    }),
  );

/**
 * Returns the first line finalized after the number, with a cutoff at or after it. If that line ended, returns the next
 * such line.
 */
function holderOf(number: number, finalized: readonly FinalizedLine[]): FinalizedLine | undefined {
  let free = number;
  for (const line of finalized) {
    if (line.finalized <= free || line.cut < number) continue;
    if (line.ended === null) return line;
    free = line.ended;
  }
  return undefined;
}

it("a walk over a partner's payout lines finds the same line for each ledger entry as a search by the entry's number", () => {
  fc.assert(
    fc.property(lines, (drawn) => {
      const { held, lines: walked } = walk(drawn);
      for (let number = 1; number < 60; number += 1) {
        const holder = holderOf(number, drawn)?.line;
        const isIn = ({ after, upTo }: { after: number; upTo: number }) => after < number && number <= upTo;
        expect(held.filter(isIn).map(({ line }) => line)).toEqual(holder === undefined ? [] : [holder]);
        for (const line of walked) expect(line.held.some(isIn), `${number} in ${line.line}`).toBe(holder === line.line);
      }
    }),
  );
});

it("when a payout line is finalized, the ledger entries after its cutoff are free unless another line holds them", () => {
  fc.assert(
    fc.property(lines, (drawn) => {
      for (const { line, finalized, later, lastFinalized } of walk(drawn).lines) {
        const cut = drawn.find((one) => one.line === line)?.cut ?? 0;
        const before = drawn.filter((one) => one.finalized < finalized);
        const then = before.map((one) => ((one.ended ?? finalized) < finalized ? one : { ...one, ended: null }));
        expect(lastFinalized).toBe(
          Math.max(0, ...then.filter((one) => one.ended === null).map((one) => one.finalized)),
        );
        for (let number = cut + 1; number < finalized; number += 1) {
          const isFree = later.some(({ after, upTo }) => after < number && number <= upTo);
          expect(isFree, `${number} beside ${line}`).toBe(holderOf(number, then) === undefined);
        }
      }
    }),
  );
});
