import { ButtonRow } from "../ui/button-row";
import { LoneCard } from "../ui/lone-card";
import { Notice } from "../ui/notice";
import { PageForm } from "../ui/page-form";

type Props = {
  title: string;
  text: string;
  button: string;
  action: (form: FormData) => Promise<never>;
  /** Of the link that led here. */
  address: string | string[] | undefined;
  outcome: { tone: "done" | "warning"; text: string } | null;
};

/** A question to the reader of a mail. Opening it changes nothing, because programs that look for viruses open links. */
export function AddressQuestion({ title, text, button, action, address, outcome }: Props) {
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
            <input type="hidden" name="key" value={typeof address === "string" ? address : ""} />
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
