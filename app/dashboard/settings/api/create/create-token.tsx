"use client";

import { createTokenAction } from "../actions";
import { CreateForm, type CreateFormProps } from "./create-form";
import { NewTokenRounds, type RoundProps } from "./new-token-rounds";

type Props = Omit<CreateFormProps, keyof RoundProps> & { origin: string; now: Date };

/** The form that creates a token, and after that the token. */
export function CreateToken({ origin, now, ...fields }: Props) {
  return (
    <NewTokenRounds
      send={createTokenAction}
      origin={origin}
      now={now}
      form={(round) => <CreateForm {...fields} {...round} />}
    />
  );
}
