import { erasedCustomerDigest } from "#domain/erasure.ts";
import type { CustomerFacts } from "#domain/explain/facts.ts";
import type { ProgramId } from "#domain/ids.ts";
import { ok, type Result } from "#domain/result.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { readBatch } from "#store/database.ts";
import { erasedNames, namesAsked } from "#store/erased-names.ts";
import { type ErasureRow, erasureOfDigests } from "#store/erasures.ts";
import type { ExplainRequest } from "#store/reports/explain.ts";
import { readFromDatabase } from "../read-database.ts";

type AsStored = Pick<ExplainRequest, "key" | "refundId">;

/** Returns the pseudonyms that replaced this transaction id and refund id. Undefined if neither was replaced. */
export async function erasedIds(c: Ctx, request: ExplainRequest): Promise<Result<AsStored | undefined>> {
  const { programId, isTest, by, refundId } = request;
  if (by !== "transaction") return ok(undefined);
  const transactionId = String(request.key);
  const asked = namesAsked({ programId, isTest }, { transactionId, refundId }, hashSecretOf(c.env));
  const read = await readFromDatabase(c, "program", (database) => readBatch(database, { names: erasedNames(asked) }));
  if (!read.ok) return read;
  const { isTransactionErased = false, isRefundErased = false } = read.value.names ?? {};
  if (!isTransactionErased && !isRefundErased) return ok(undefined);
  return ok({
    key: isTransactionErased ? asked.erasedTransactionId : transactionId,
    refundId: isRefundErased ? (asked.erasedRefundId ?? undefined) : refundId,
  });
}

/** Returns undefined if the customer isn't erased. */
export async function erasureOf(
  c: Ctx,
  programId: ProgramId,
  customer: CustomerFacts | undefined,
): Promise<Result<ErasureRow | undefined>> {
  if (customer?.isErased !== true) return ok(undefined);
  const digest = erasedCustomerDigest({ programId, hashSecret: hashSecretOf(c.env) }, customer.id);
  const digests = JSON.stringify([digest]);
  const read = await readFromDatabase(c, "program", (database) =>
    readBatch(database, { erasure: erasureOfDigests({ programId, digests }) }),
  );
  return read.ok ? ok(read.value.erasure) : read;
}
