import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { ButtonLink } from "../components/button.tsx";
import { useSignUpMode } from "../session.tsx";
import { providerAddress } from "../url.ts";

/** Signs in at the identity provider, and returns to this page. */
export function ProviderLink(): JSX.Element {
  const name = useSignUpMode().data?.provider?.name ?? "your identity provider";
  const { url } = useLocation();
  return (
    <ButtonLink href={providerAddress(url)} look="primary">
      Continue with {name}
    </ButtonLink>
  );
}
