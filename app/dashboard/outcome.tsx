import { Notice } from "@/app/ui/notice";

type Sentences = Readonly<Record<string, string>>;
type Props = {
  /** `?done=` of the page. */
  done: string | string[] | undefined;
  sentences: Sentences;
  /** Of steps that changed nothing. */
  unchanged?: Sentences;
};

/** What became of the last step, which sent the browser here. A step without a sentence says nothing. */
export function Outcome({ done, sentences, unchanged = {} }: Props) {
  if (typeof done !== "string") return null;
  const [said, isChanged] = [{ ...sentences, ...unchanged }, Object.hasOwn(sentences, done)];
  if (!Object.hasOwn(said, done)) return null;
  return (
    <Notice tone={isChanged ? "done" : "warning"} on={done}>
      {said[done]}
    </Notice>
  );
}
