import { Logo } from "./logo";
import { NavigationProgress } from "./navigation-progress";
import styles from "./site-header.module.css";

type Props = {
  /** Beside the logo; on a narrow screen a line of its own. */
  navigation?: React.ReactNode;
  /** At the end of the bar. */
  children?: React.ReactNode;
};

/** The bar at the top of every page. */
export function SiteHeader({ navigation, children }: Props) {
  return (
    <header className={styles.header} data-navigation>
      <div className={`row ${styles.inner}`}>
        <Logo />
        {navigation && <div className={styles.navigation}>{navigation}</div>}
        {children}
      </div>
      <NavigationProgress />
    </header>
  );
}
