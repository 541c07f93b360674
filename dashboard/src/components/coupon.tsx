import type { JSX } from "preact";
import { Badge, type Tone } from "./badge.tsx";
import { Instant } from "./time.tsx";

interface CouponTerms {
  readonly codes: readonly string[];
  readonly status: "active" | "paused";
  readonly validFrom: string | null;
  readonly validUntil: string | null;
}

interface CouponProps {
  readonly coupon: CouponTerms;
}

export const CouponCodes = ({ coupon: { codes } }: CouponProps): JSX.Element => (
  <span class="row">
    {codes.map((code) => (
      <code key={code} class="breakable">
        {code}
      </code>
    ))}
  </span>
);

export const isExpired = ({ validUntil }: Pick<CouponTerms, "validUntil">, now: number): boolean =>
  validUntil !== null && Date.parse(validUntil) < now;

function stateOf(coupon: CouponTerms, now: number): readonly [title: string, tone: Tone] {
  const { status, validFrom } = coupon;
  if (isExpired(coupon, now)) return ["Expired", "plain"];
  if (status === "paused") return ["Paused", "warn"];
  return validFrom !== null && Date.parse(validFrom) > now ? ["Not yet valid", "accent"] : ["Active", "good"];
}

export function CouponState({ coupon }: CouponProps): JSX.Element {
  const [title, tone] = stateOf(coupon, Date.now());
  return <Badge tone={tone}>{title}</Badge>;
}

/** Shows the beginning and the end of a coupon's validity, each on its own line. */
export function Validity({ coupon: { validFrom, validUntil } }: CouponProps): JSX.Element {
  if (validFrom === null && validUntil === null) return <>Always</>;
  return (
    <span>
      {validFrom !== null && (
        <>
          From <Instant at={validFrom} />
        </>
      )}
      {validFrom !== null && validUntil !== null && <br />}
      {validUntil !== null && (
        <>
          {validFrom === null ? "Until" : "until"} <Instant at={validUntil} />
        </>
      )}
    </span>
  );
}
