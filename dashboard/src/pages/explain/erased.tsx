import type { JSX } from "preact";
import type { Explanation } from "../../api/types.ts";
import { Notice } from "../../components/notice.tsx";
import { DayOf } from "../../components/time.tsx";
import { useProgram } from "../../session.tsx";
import { privacyAddress } from "../settings/privacy/queries.ts";

export function Erased({
  explanation: { erased, erasure },
}: {
  readonly explanation: Explanation;
}): JSX.Element | null {
  const { program, may } = useProgram();
  if (!erased) return null;
  return (
    <Notice look="plain">
      What was known about this customer was erased
      {erasure?.erasedAt != null && (
        <>
          {" "}
          on <DayOf at={erasure.erasedAt} />
        </>
      )}
      . Amounts, days and partners are unchanged.{" "}
      {erasure !== null && may("owner") && <a href={privacyAddress(program, erasure.receiptId)}>View receipt</a>}
    </Notice>
  );
}
