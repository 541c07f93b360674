import type { JSX } from "preact";
import { usePartnerSearch } from "../../api/partners.ts";
import { namedByCode } from "../../named-by-code.ts";

/** A partner's name once it is read, and until then the code: an explanation has only codes. */
export function PartnerOfCode({ code }: { readonly code: string }): JSX.Element {
  const partner = usePartnerSearch(code).data?.find((each) => each.code === code);
  if (partner === undefined) return <>Partner {code}</>;
  return <bdi>{namedByCode({ name: partner.name, partnerCode: code })}</bdi>;
}
