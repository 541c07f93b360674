import type { JSX } from "preact";
import { DayOf } from "../../components/time.tsx";
import type { Commission } from "./queries.ts";

/** The time at which a held commission's review ends. */
export const ReviewEnd = ({ commission }: { readonly commission: Pick<Commission, "reviewUntil"> }): JSX.Element =>
  commission.reviewUntil === null ? (
    <>The commission isn't paid until someone on your team releases it.</>
  ) : (
    <>
      It is released automatically on <DayOf at={commission.reviewUntil} />, unless you decide first.
    </>
  );
