import type { JSX } from "preact";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { PartnerLink } from "../../../components/partner-link.tsx";
import { Ago } from "../../../components/time.tsx";
import { nameInText } from "../../../named-by-code.ts";
import type { JoinPage } from "../join/queries.ts";
import type { Decision } from "./decide.ts";
import { type Application, type Status, statuses } from "./queries.ts";

const tones: Readonly<Record<Status, Tone>> = { pending: "accent", approved: "good", declined: "bad" };
const titles: Readonly<Record<string, string>> = Object.fromEntries(statuses);

interface ApplicationCardProps {
  readonly application: Application;
  readonly questions: JoinPage["questions"];
  /** Undefined if it can't be decided. */
  readonly onDecide: ((verb: Decision["verb"]) => void) | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

export function ApplicationCard(props: ApplicationCardProps): JSX.Element {
  const { application, questions, onDecide, isSelected, onSelect } = props;
  const { name, website, answers, status, partnerId, partnerNote, decidedAt, openedOn } = application;
  const { createdAt, termsVersion } = application;
  const labels = new Map(questions.map(({ id, label }) => [id, label]));
  return (
    <li class="card application">
      <header>
        {onDecide && (
          <label class="selector">
            <span class="unseen">Select {nameInText(name)}</span>
            <input
              type="checkbox"
              checked={isSelected}
              onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
            />
          </label>
        )}
        <div>
          <h2>{partnerId === null ? <bdi>{name}</bdi> : <PartnerLink id={partnerId} name={name} />}</h2>
          {website !== null && (
            <a href={website} target="_blank" rel="noreferrer nofollow">
              {website}
            </a>
          )}
        </div>
        <Badge tone={tones[status]}>{titles[status]}</Badge>
      </header>
      {Object.keys(answers).length > 0 && (
        <dl class="answers">
          {Object.entries(answers).map(([id, answer]) => (
            <div key={id}>
              <dt>{labels.get(id) ?? "An earlier question"}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
      )}
      {partnerNote !== null && (
        <dl class="answers">
          <div>
            <dt>Your note to the applicant</dt>
            <dd>{partnerNote}</dd>
          </div>
        </dl>
      )}
      <footer class="row spread">
        <span class="soft">
          Received <Ago at={createdAt} />
          {decidedAt !== null && (
            <>
              , {titles[status]?.toLowerCase()} <Ago at={decidedAt} />
              {openedOn !== null && " by the join page"}
            </>
          )}
          {termsVersion !== null && ` · accepted version ${termsVersion} of the terms`}
        </span>
        {onDecide && (
          <span class="row">
            <Button label={`Approve ${nameInText(name)}`} onClick={() => onDecide("approve")}>
              Approve…
            </Button>
            <Button look="danger" label={`Decline ${nameInText(name)}`} onClick={() => onDecide("decline")}>
              Decline…
            </Button>
          </span>
        )}
      </footer>
    </li>
  );
}
