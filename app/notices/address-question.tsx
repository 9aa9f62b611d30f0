import { ButtonRow } from "../ui/button-row";
import { LoneCard } from "../ui/lone-card";
import { Notice } from "../ui/notice";
import { PageForm } from "../ui/page-form";

type Props = {
  title: string;
  text: string;
  button: string;
  action: (form: FormData) => Promise<never>;
  /** `key` of the link that led here; `done`, where the action led. */
  query: Record<string, string | string[] | undefined>;
  /** What became of it, by `done`. */
  outcomes: Readonly<Record<string, { tone: "done" | "warning"; text: string }>>;
};

/** A question to the reader of a mail. Opening it changes nothing, because programs that look for viruses open links. */
export function AddressQuestion({ title, text, button, action, query: { key, done }, outcomes }: Props) {
  const outcome = typeof done === "string" && Object.hasOwn(outcomes, done) && outcomes[done];
  return (
    <LoneCard title={title} isWide>
      {outcome ? (
        <Notice tone={outcome.tone} on={outcome.text}>
          {outcome.text}
        </Notice>
      ) : (
        <>
          <p>{text}</p>
          <PageForm action={action}>
            <input type="hidden" name="key" value={typeof key === "string" ? key : ""} />
            <ButtonRow>
              <button type="submit" className="button">
                {button}
              </button>
            </ButtonRow>
          </PageForm>
        </>
      )}
    </LoneCard>
  );
}
