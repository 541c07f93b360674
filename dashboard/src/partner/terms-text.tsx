import type { JSX } from "preact";

/** The program's text, including line breaks. */
export const TermsText = ({ text }: { readonly text: string }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section class="terms-text" tabIndex={0} aria-label="Terms">
    {text}
  </section>
);
