import type { JSX } from "preact";
import { usePartnerSearch } from "../../api/partners.ts";
import type { Explanation } from "../../api/types.ts";
import { namedByCode } from "../../named-by-code.ts";

interface PartnerOfCodeProps {
  readonly code: string;
  /** Shown until the name is read. */
  readonly meanwhile?: string;
}

/** A partner's name once it is read, and until then the code: an explanation has only codes. */
export function PartnerOfCode({ code, meanwhile = `Partner ${code}` }: PartnerOfCodeProps): JSX.Element {
  const partner = usePartnerSearch(code).data?.find((each) => each.code === code);
  if (partner === undefined) return <>{meanwhile}</>;
  return <bdi>{namedByCode({ name: partner.name, partnerCode: code })}</bdi>;
}

/** The codes of the partners in an explanation. */
const codesIn = ({ verdict, candidates, coupons, events, commission }: Explanation): readonly string[] => {
  const others = [candidates, coupons, events, commission?.entries ?? []].flat();
  return [verdict, ...others].flatMap((each) => ("partnerCode" in each && each.partnerCode) || []);
};

/** Splits a text into its words and mentions of partners such as "partner anna". The odd parts are mentions. */
export function partnersIn(text: string, codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return [text];
  const longestFirst = [...new Set(codes)].toSorted((one, other) => other.length - one.length);
  return text.split(new RegExp(`([Pp]artner (?:${longestFirst.join("|")})(?![\\w-]))`));
}

interface WithNamesProps {
  readonly text: string | undefined;
  readonly of: Explanation;
}

/** A sentence with the names of partners in place of their codes. */
export const WithNames = ({ text = "", of }: WithNamesProps): JSX.Element => (
  <>
    {partnersIn(text, codesIn(of)).map((part, i) =>
      i % 2 === 0 ? part : <PartnerOfCode key={i} code={part.slice("partner ".length)} meanwhile={part} />,
    )}
  </>
);
