import type { JSX } from "preact";
import { Ago } from "../../components/time.tsx";

interface BotClickProps {
  /** The time of the newest click from an automated browser. Undefined without one. */
  readonly at: string | undefined;
  readonly otherwise: string;
}

/** Explains why the reader's click isn't counted, or says what the step waits for. */
export const BotClick = ({ at, otherwise }: BotClickProps): JSX.Element => (
  <>
    {at === undefined ? (
      otherwise
    ) : (
      <>
        A click arrived <Ago at={at} />, but from an automated browser, so it isn't counted. Open the link in a normal
        browser.
      </>
    )}
  </>
);
