import type { ComponentChildren, FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hasUnsavedInput } from "../use-draft.ts";
import { Button } from "./button.tsx";

type Load<Props> = () => Promise<{ readonly default: FunctionComponent<Props> }>;

export function lazy<Props extends object>(load: Load<Props>, waiting: ComponentChildren) {
  let loaded: FunctionComponent<Props> | undefined;
  return function Late(props: Props): JSX.Element {
    const [Part, setPart] = useState(() => loaded);
    const [isLost, setIsLost] = useState(false);
    useEffect(() => {
      if (Part !== undefined) return;
      const read = (onFailure: () => void) =>
        void load().then(({ default: part }) => {
          loaded = part;
          setPart(() => part);
        }, onFailure);
      // Some browsers remember a failed import until the page is loaded again.
      const readAgain = () => read(() => !hasUnsavedInput() && location.reload());
      read(() => {
        setIsLost(true);
        addEventListener("online", readAgain);
      });
      return () => removeEventListener("online", readAgain);
    }, [Part]);
    if (Part !== undefined) return <Part {...props} />;
    if (!isLost) return <>{waiting}</>;
    // A deployment removes the files of the previous build. Reloading gets the new ones.
    return (
      <div class="state" role="alert">
        <h2>Couldn't load this content</h2>
        <p class="soft">The connection was lost, or a new version of the dashboard is available.</p>
        <Button onClick={() => location.reload()}>Reload page</Button>
      </div>
    );
  };
}
