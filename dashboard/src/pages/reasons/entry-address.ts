import type { StatementEntry } from "../../components/statement/entry-text.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, searchAddress, statementAddress } from "../../url.ts";

/** Returns the address that explains an entry. For a payment, that is the statement of its day. */
export function useEntryAddress(partnerId: string, currency: string | undefined) {
  const { program } = useProgram();
  return ({ ref, kind, postedOn }: StatementEntry): string | undefined => {
    if (ref !== null) return searchAddress(program.id, ref);
    if (kind !== "paid" && kind !== "returned") return undefined;
    const address = statementAddress(program.id, Number(partnerId));
    return addressWith(address, { currency, from: postedOn, to: postedOn });
  };
}
