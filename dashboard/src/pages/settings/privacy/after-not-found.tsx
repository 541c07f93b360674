import type { JSX } from "preact";
import type { Failure } from "../../../api/failure.ts";
import { useProgram } from "../../../session.tsx";
import { privacyAddress } from "./queries.ts";

/** The receipt of an earlier erasure, if the person was already erased. */
function receiptIn({ details }: Failure): string | undefined {
  return details !== undefined && "receiptId" in details ? String(details.receiptId) : undefined;
}

export function AfterNotFound({ failure }: { readonly failure: Failure | undefined }): JSX.Element | null {
  const { program } = useProgram();
  if (failure?.code !== "person_not_found") return null;
  const receiptId = receiptIn(failure);
  return (
    <p class="soft">
      {receiptId === undefined ? (
        "Check the spelling, or find the customer another way."
      ) : (
        <a href={privacyAddress(program, receiptId)}>View the receipt of the erasure</a>
      )}
    </p>
  );
}
