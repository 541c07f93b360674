import type { JSX } from "preact";
import { createSignal, useSignal } from "../../api/signal.ts";
import { Code } from "../../components/copy.tsx";
import { Segments } from "../../components/filters.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { useNewestSdk } from "./queries.ts";
import { installSdk, type Language, languages, type SnippetContext, serverCalls } from "./snippets.ts";

const storageKey = "tributary-language";
const languageOf = (text: string | null): Language => languages.find(([each]) => each === text)?.[0] ?? "node";

const chosenLanguage = createSignal<Language>(languageOf(localStorage.getItem(storageKey)));

function choose(text: string): void {
  const language = languageOf(text);
  localStorage.setItem(storageKey, language);
  chosenLanguage.set(language);
}

/** Code for a server's calls, in the language that the user has chosen, here or on an earlier visit. */
export function CodeTabs(context: SnippetContext): JSX.Element {
  const language = useSignal(chosenLanguage);
  const title = languages.find(([each]) => each === language)?.[1];
  return (
    <div class="code-tabs">
      <Segments label="Language" value={language} options={languages} onChoose={choose} />
      {(language === "node" || language === "stripe") && <InstallSdk />}
      <Code text={serverCalls[language](context)} what={`${title} code`} />
    </div>
  );
}

function InstallSdk(): JSX.Element {
  const newest = useNewestSdk();
  return (
    <Loaded query={newest} skeleton={<Skeleton lines={2} />}>
      {(url) => <Code text={installSdk(url)} what="install command" />}
    </Loaded>
  );
}
