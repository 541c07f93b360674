import { lineFaults, payFormats } from "#domain/pay-format.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { memberRefusals, programMember } from "../../guards.ts";
import { PayoutPath } from "../../params.ts";
import { noPayout } from "../read-lines.ts";
import { layouts } from "./sort-lines.ts";
import { type SortedPayout, sortPayout } from "./sort-payout.ts";

const sums = { lineCount: int32(), amountCents: int64() };

const PayoutFiles = z
  .object({
    currency: z.string(),
    files: z.array(
      z.object({
        format: z.enum(payFormats),
        ...sums,
        parts: z.array(z.object(sums)).describe("One for each file: a service takes only so many lines at once."),
        unavailable: z
          .enum(["currency", "no_payer"])
          .nullable()
          .describe("`currency`: the service doesn't take the payout's. `no_payer`: the program has no `payer`."),
      }),
    ),
    rest: z.object(sums).describe("Lines that no file can have: pay them by the payment list."),
    refused: z
      .array(
        z.object({
          format: z.enum(payFormats),
          reason: z
            .enum(lineFaults)
            .describe("What the service would refuse: the holder's name, the account, or the amount."),
          ...sums,
          partners: z
            .array(z.object({ id: id(), code: z.string() }))
            .describe("The first 20 of these lines' partners."),
        }),
      )
      .describe("The lines of `rest` that a file would have, if its service didn't refuse them."),
  })
  .openapi("PayoutFiles");

export const listPayoutFiles = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/payouts/{payoutId}/files",
    operationId: "listPayoutFiles",
    tags: ["Payouts"],
    summary: "List the files to pay a payout by",
    description: "Counts the lines of each payment method, without those that failed. Each line is counted once.",
    ...programMember("owner"),
    request: { params: PayoutPath },
    responses: {
      ...returns("The files", z.object({ data: PayoutFiles })),
      ...refusals([...memberRefusals, "payout_not_final", "payout_closed"]),
    },
  }),
  handler: async (c) => {
    const payoutId = readId(c.req.valid("param").payoutId);
    if (payoutId === undefined) return refuse(c, noPayout);
    const sorted = await sortPayout(c, { programId: c.get("program").id, id: payoutId, details: "all" });
    return sorted.ok ? c.json({ data: filesOf(sorted.value) }, 200) : refuse(c, sorted.refusal);
  },
});

interface Sum {
  readonly lineCount: number;
  readonly totalCents: number;
}

const sumReply = ({ lineCount, totalCents }: Sum) => ({ lineCount, amountCents: totalCents });

const together = (all: readonly Sum[]): Sum => ({
  lineCount: all.reduce((sum, { lineCount }) => sum + lineCount, 0),
  totalCents: all.reduce((sum, { totalCents }) => sum + totalCents, 0),
});

function filesOf({ payout, payer, parts, inOtherCurrency, rest, refused }: SortedPayout): z.output<typeof PayoutFiles> {
  const files = payFormats.map((format) => {
    const { takesCurrency, needsPayer } = layouts[format];
    const isPayable = takesCurrency(payout.currency);
    const missing = needsPayer && payer === null ? ("no_payer" as const) : null;
    return {
      format,
      ...sumReply(isPayable ? together(parts[format]) : inOtherCurrency[format]),
      parts: parts[format].map(sumReply),
      unavailable: isPayable ? missing : ("currency" as const),
    };
  });
  const refusedReply = refused.map(({ format, fault, partners, ...sum }) => ({
    ...{ format, reason: fault },
    ...sumReply(sum),
    partners: partners.map(({ partnerId, partnerCode }) => ({ id: partnerId, code: partnerCode })),
  }));
  return { currency: payout.currency, files, rest: sumReply(rest), refused: refusedReply };
}
