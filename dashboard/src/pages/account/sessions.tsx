import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatDay } from "../../format.ts";
import { regionName } from "../../region-name.ts";
import { activityKey } from "./activity.tsx";

export const sessionsKey = "sessions";

const useSessions = () =>
  useQuery(sessionsKey, async (signal) => (await take(api.auth["list-sessions"].$get({}, { init: { signal } }))).data);
type OwnSession = NonNullable<ReturnType<typeof useSessions>["data"]>[number];

export function Sessions(): JSX.Element {
  const sessions = useSessions();
  const endOthers = useAction(() => take(api.auth["revoke-other-sessions"].$post({})), {
    refreshes: [sessionsKey, activityKey],
    done: "Signed out everywhere else.",
  });
  return (
    <section class="account-section">
      <h2>Where you're signed in</h2>
      <Loaded query={sessions} skeleton={<Skeleton lines={4} />}>
        {(list) => (
          <>
            <ul class="sessions">
              {list.map((session) => (
                <SessionItem key={session.id} session={session} />
              ))}
            </ul>
            {list.length > 1 && (
              <div class="row">
                <Button isPending={endOthers.isPending} onClick={() => endOthers.run(undefined)}>
                  Sign out everywhere else
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function SessionItem({ session }: { readonly session: OwnSession }): JSX.Element {
  const { id, current, device, place, createdAt, lastUsedOn } = session;
  const name = device ?? "Unknown device";
  const end = useAction(() => take(api.auth["revoke-session"].$post({ json: { id } })), {
    refreshes: [sessionsKey, activityKey],
    done: `Signed out of ${name}.`,
  });
  return (
    <li>
      <span>
        {name}
        {place !== null && `, ${regionName(place)}`}
        <small>Signed in {formatDay(createdAt.slice(0, 10))}</small>
        {current || <small>Last used {formatDay(lastUsedOn)}</small>}
      </span>
      {current ? (
        <Badge tone="good">This browser</Badge>
      ) : (
        <Button look="quiet" label={`Sign out of ${name}`} isPending={end.isPending} onClick={() => end.run(undefined)}>
          Sign out
        </Button>
      )}
    </li>
  );
}
