import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { refresh } from "../../../api/use-query.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { DayOf } from "../../../components/time.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { useSignUpMode } from "../../../session.tsx";
import { partnerAddress, programsKey } from "../../access.tsx";
import type { OwnApplication } from "./queries.ts";

interface OutcomeProps {
  readonly programName: string;
  readonly application: OwnApplication;
}

export function Outcome({ programName, application }: OutcomeProps): JSX.Element {
  const { status, programId, partnerId, partnerNote, isOpened, canApplyAgainAt } = application;
  const { data: mode } = useSignUpMode();
  const isApproved = status === "approved";
  useEffect(() => {
    if (isApproved) refresh(programsKey);
  }, [isApproved]);
  if (isApproved) {
    const path = { programId: String(programId), partnerId: String(partnerId) };
    return (
      <Told title={isOpened ? "You are in" : `You're a partner of ${nameInText(programName)}`}>
        <p class="soft breakable">
          {isOpened ? `You're a partner of ${nameInText(programName)}.` : "Your application was approved."} Your link
          and your earnings are on your own pages.
        </p>
        <div class="row">
          <ButtonLink href={partnerAddress(path)} look="primary">
            Go to your pages
          </ButtonLink>
        </div>
      </Told>
    );
  }
  if (status === "declined") {
    return (
      <Told title="Your application was declined">
        {partnerNote !== null && (
          <blockquote class="join-note breakable">
            <p>{partnerNote}</p>
            <footer class="soft">{programName}</footer>
          </blockquote>
        )}
        {canApplyAgainAt !== null && (
          <p class="soft">
            You can apply again from <DayOf at={canApplyAgainAt} />.
          </p>
        )}
      </Told>
    );
  }
  return (
    <Told title="Your application was received">
      <p class="soft">
        {nameInText(programName)} will decide. {mode?.sendsMail ? "You'll get an email, and this page" : noMail} shows
        the decision once it's made.
      </p>
    </Told>
  );
}

const noMail = "No email is sent: come back to this page, which";

/** A message that takes focus, since the button that had it is gone. */
function Told({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section ref={section} class="card" tabIndex={-1} aria-labelledby="join-outcome">
      <h2 id="join-outcome" class="breakable">
        {title}
      </h2>
      {children}
    </section>
  );
}
