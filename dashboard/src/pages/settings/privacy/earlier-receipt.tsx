import type { JSX } from "preact";
import { Notice } from "../../../components/notice.tsx";
import { useProgram } from "../../../session.tsx";
import { privacyAddress } from "./queries.ts";

/** Of somebody who was erased before. */
export function EarlierReceipt({ receiptId }: { readonly receiptId: string | undefined }): JSX.Element | null {
  const { program } = useProgram();
  if (receiptId === undefined) return null;
  return (
    <Notice look="plain">
      <a href={privacyAddress(program, receiptId)}>View the receipt of the erasure</a>
    </Notice>
  );
}
