import type { TextFieldSpec } from "@/app/ui/text-field";
import type { ServiceInput } from "@/lib/game-services/service-input";

const LONGEST_HOSTNAME = 255;

/** The fields of a game service, with what stands in them. */
export function serviceFields(values: ServiceInput): TextFieldSpec[] {
  return [
    {
      name: "name",
      label: "Name",
      hint: "Shown in the list and the API.",
      placeholder: "Survival",
      maxLength: 128,
      value: values.name,
    },
    {
      name: "javaHostname",
      label: "Public hostname",
      hint: "What players type into Minecraft: a DNS name that points at the edge nodes. Each name belongs to one service.",
      placeholder: "play.example.com",
      maxLength: LONGEST_HOSTNAME,
      value: values.javaHostname,
    },
    {
      name: "originHost",
      label: "Origin",
      hint: "The hostname or the ip of the game server behind the edge nodes.",
      placeholder: "origin.example.com",
      maxLength: LONGEST_HOSTNAME,
      value: values.originHost,
    },
    {
      name: "originPort",
      label: "Port of the origin",
      hint: "Minecraft uses 25565.",
      maxLength: 5,
      value: values.originPort,
      inputMode: "numeric",
    },
  ];
}
