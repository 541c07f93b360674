import type { JSX } from "preact";
import { useProgram } from "../session.tsx";
import { partnerAddress } from "../url.ts";
import { shownName } from "./partner-name.tsx";

interface PartnerLinkProps {
  readonly id: number;
  readonly name: string | null | undefined;
  readonly class?: string;
}

/** A partner's name, which links to the partner's page. */
export function PartnerLink({ id, name, ...rest }: PartnerLinkProps): JSX.Element {
  const { program } = useProgram();
  return (
    <a {...rest} href={partnerAddress(program.id, id)}>
      <bdi>{shownName(name ?? "", `Partner ${id}`)}</bdi>
    </a>
  );
}
