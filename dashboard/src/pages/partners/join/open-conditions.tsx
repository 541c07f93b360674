import type { JSX } from "preact";
import { Notice } from "../../../components/notice.tsx";
import { useProgram } from "../../../session.tsx";
import { programAddress } from "../../../url.ts";

/** Settings that an open join page needs, so that people aren't paid for their own purchases. */
export function OpenConditions(): JSX.Element {
  const { program } = useProgram();
  const settings = programAddress(program.id, "settings");
  return (
    <Notice look="plain">
      <p>
        An open page gives anyone a link. So two settings must protect you, and can't change while the page is open:
      </p>
      <ul>
        <li>
          <a href={`${settings}?section=attribution`}>Settings › Attribution</a>: accept leads from “Server only”.
        </li>
        <li>
          <a href={`${settings}?section=risk`}>Settings › Risk</a>: hold self-referrals for review.
        </li>
      </ul>
      <p>
        At most 200 applicants a day become partners at once. Further applicants, and those you have declined before,
        wait for your decision.
      </p>
    </Notice>
  );
}
