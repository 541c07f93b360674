import { useEffect, useRef, useState } from "preact/hooks";
import type { TrackedEvent } from "../../api/types.ts";
import { type Events, eventKey } from "./queries.ts";

interface Live {
  readonly shown: Events;
  /** Keys of the events that arrived while the page was open. */
  readonly fresh: ReadonlySet<string>;
}

const keysOf = (events: readonly TrackedEvent[]) => new Set(events.map(eventKey));
const missingFrom = (shown: Events, latest: Events): readonly TrackedEvent[] => {
  const there = keysOf(shown.data);
  return latest.data.filter((event) => !there.has(eventKey(event)));
};

/** True if new rows can't move what the user is reading: the page is at its top, and no row has focus. */
const isAtTop = () => scrollY < 8 && document.activeElement?.closest("tbody") == null;

/**
 * New events from a poll appear automatically only at the top of the page. Elsewhere they wait, and `waiting` counts
 * them.
 */
export function useLive(latest: Events) {
  const [live, setLive] = useState<Live>({ shown: latest, fresh: new Set() });
  const seen = useRef(latest);
  const isOther = live.shown.queryKey !== latest.queryKey;
  const shown = isOther ? latest : live.shown;
  const fresh = isOther ? new Set<string>() : live.fresh;
  const added = missingFrom(shown, latest);
  const show = () => setLive({ shown: latest, fresh: new Set([...fresh, ...added.map(eventKey)]) });

  useEffect(() => {
    if (seen.current === latest) return;
    seen.current = latest;
    if (isOther) setLive({ shown: latest, fresh: new Set() });
    else if (added.length === 0 || isAtTop()) show();
  }, [latest]);

  return { shown, fresh, waiting: added.length, show };
}
