import type { JSX } from "preact";
import { usePartnerSearch } from "../../api/partners.ts";
import { namedByCode } from "../../named-by-code.ts";

/** Their name once it is read: an explanation has codes only. */
export function PartnerOfCode({ code }: { readonly code: string }): JSX.Element {
  const partner = usePartnerSearch(code).data?.find((each) => each.code === code);
  if (partner === undefined) return <>Partner {code}</>;
  return <bdi>{namedByCode({ name: partner.name, partnerCode: code })}</bdi>;
}
