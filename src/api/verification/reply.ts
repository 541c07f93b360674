import { chainEvents } from "#domain/verification.ts";
import { warnings } from "#http/reply.ts";
import { int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { TestChain } from "../readiness.ts";

export const ChainReply = z
  .object({
    data: z.object({
      type: z.literal("chain"),
      short_code: z.string(),
      customer_key: z.string(),
      verdict: TestChain,
      attributed: z.boolean(),
      steps: z.array(
        z.object({
          name: z.enum(chainEvents),
          status: z.enum(["pass", "fail", "skipped"]),
          http_status: int32().nullable(),
          duration_ms: int32(),
          message: z.string(),
        }),
      ),
    }),
    ...warnings,
  })
  .openapi("VerificationChain");
export type ChainReply = z.output<typeof ChainReply>;
