import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { PlainSkeleton } from "./plain.tsx";

export function Redirect({ to }: { readonly to: string }): JSX.Element {
  const { route } = useLocation();
  useEffect(() => route(to, true), []);
  return <PlainSkeleton />;
}
