import type { Client } from "@libsql/client/http";
import type { ErasureReceipt } from "./erasures-file.ts";

export type PartnerReceipt = ErasureReceipt & { readonly partnerId: number };

const isOfPartner = (receipt: ErasureReceipt): receipt is PartnerReceipt => receipt.partnerId !== undefined;

/**
 * Returns the receipts of partners whose erased data a restored database contains again. Excludes partners created
 * later with the same ids.
 */
export async function partnersBack(
  client: Client,
  receipts: readonly ErasureReceipt[],
): Promise<readonly PartnerReceipt[]> {
  const asked = receipts.filter(isOfPartner);
  const { rows } = await client.execute({
    sql: `select w.value ->> '$.id' as receipt from json_each(?) w join partners p on p.id = w.value ->> '$.partnerId'
      where p.program_id = w.value ->> '$.programId' and p.created_at <= w.value ->> '$.requestedAt' and p.erasure_id is null`,
    args: [JSON.stringify(asked)],
  });
  const back = new Set(rows.map(({ receipt }) => String(receipt)));
  return asked.filter(({ id }) => back.has(id));
}
