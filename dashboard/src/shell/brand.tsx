import type { JSX } from "preact";
import { base } from "../url.ts";

export const Mark = (): JSX.Element => (
  <svg class="mark" width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M8 8c0 6 8 5 8 11v6M24 8c0 6-8 5-8 11M16 7v12" />
  </svg>
);

export const Brand = (): JSX.Element => (
  <a class="brand" href={base}>
    <Mark /> Tributary
  </a>
);
