-- Until an account has chosen a time zone, its pages are written in that of the browser.
ALTER TABLE "accounts" ADD COLUMN "time_zone_chosen" BOOLEAN NOT NULL DEFAULT false;
